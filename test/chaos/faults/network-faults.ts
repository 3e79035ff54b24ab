import { type Fault, pause } from "./fault.ts";

/** What befalls the connections between one process and PostgreSQL. */
export const networkFaults: Readonly<Record<string, Fault>> = {
  reset: {
    isOnNetwork: true,
    async strike({ victim }) {
      victim.proxy?.reset();
    },
  },
  "black-hole": {
    isOnNetwork: true,
    isLoss: true,
    async strike({ victim, random, leaseMs }) {
      victim.proxy?.hold("to server", "to client");
      await pause((0.5 + random.number() * 2) * leaseMs);
      victim.proxy?.letThrough();
    },
  },
  /** What it asks is done, and it is not told. */
  "no-replies": {
    isOnNetwork: true,
    isLoss: true,
    async strike({ victim, random, leaseMs }) {
      victim.proxy?.hold("to client");
      await pause((0.5 + random.number() * 2) * leaseMs);
      victim.proxy?.letThrough();
    },
  },
  /** What it asks is done when others have its jobs. */
  "no-requests": {
    isOnNetwork: true,
    isLoss: true,
    async strike({ victim, random, leaseMs }) {
      victim.proxy?.hold("to server");
      await pause((0.5 + random.number() * 2) * leaseMs);
      victim.proxy?.letThrough();
    },
  },
  swallow: {
    isOnNetwork: true,
    isForWorkers: true,
    async strike({ victim, leaseMs }) {
      // Or none comes: a worker at rest asks for nothing.
      await Promise.race([
        victim.proxy?.lose({ toRequestWith: "lockstep_settle_and_claim" }),
        pause(2 * leaseMs),
      ]);
    },
  },
  slow: {
    isOnNetwork: true,
    async strike({ victim, random, leaseMs }) {
      victim.proxy?.slowDown(50 + random.below(150));
      await pause((0.5 + random.number()) * leaseMs);
      victim.proxy?.slowDown(0);
    },
  },
  "cut-listen": {
    isOnNetwork: true,
    isForWorkers: true,
    async strike({ victim }) {
      victim.proxy?.reset("lockstep listener");
    },
  },
  "cut-heartbeat": {
    isOnNetwork: true,
    isForWorkers: true,
    async strike({ victim }) {
      victim.proxy?.reset("lockstep heartbeat");
    },
  },
};
