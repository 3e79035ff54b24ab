import { type Fault, pause } from "./fault.ts";

/** What befalls processes. */
export const processFaults: Readonly<Record<string, Fault>> = {
  kill: {
    async strike({ victim }) {
      const { starts } = victim;
      victim.signal("SIGKILL");
      await victim.untilStartedAfter(starts);
    },
  },
  /** Longer than its lease: when it goes on, others have its jobs. */
  freeze: {
    isLoss: true,
    async strike({ victim, random, leaseMs }) {
      victim.signal("SIGSTOP");
      await pause((1.3 + random.number() * 0.9) * leaseMs);
      victim.signal("SIGCONT");
    },
  },
  leave: {
    async strike({ victim }) {
      victim.replace();
      await victim.untilReady();
    },
  },
  memory: {
    isForWorkers: true,
    async strike({ victim }) {
      const { starts } = victim;
      // It dies of it by itself, which takes a moment.
      victim.order({ useUpMemory: true });
      await victim.untilStartedAfter(starts);
    },
  },
  /** Within what its handlers may take: the heartbeat has a thread of its own, and nothing is lost. */
  block: {
    isForWorkers: true,
    async strike({ victim, random, leaseMs }) {
      const forMs = (0.5 + random.number() * 1.5) * leaseMs;
      victim.order({ blockForMs: forMs });
      await pause(forMs);
    },
  },
};
