import type { EngineEventMap } from "lockstep";

type Name = keyof EngineEventMap;
interface Seen<N extends Name = Name> {
  name: N;
  event: EngineEventMap[N];
  isTaken: boolean;
}
type Test<N extends Name> = (event: EngineEventMap[N]) => boolean;

/** What the engine said, from the moment recording began. */
export interface RecordedEvents {
  /** The first event of this name that no earlier next() has given, now or when it comes. */
  next<N extends Name>(
    name: N,
    matches?: Test<N>,
    options?: { limitMs?: number },
  ): Promise<EngineEventMap[N]>;
  /** All so far, in order. */
  all<N extends Name>(name: N): EngineEventMap[N][];
  /** The names of all so far, in order. */
  names(): Name[];
  stop(): void;
}

export interface EventSource {
  onAny(listener: <N extends Name>(name: N, event: EngineEventMap[N]) => void): () => void;
}

export function recordEvents(engine: EventSource): RecordedEvents {
  const seen: Seen[] = [];
  const waiting = new Set<() => void>();
  const stop = engine.onAny((name, event) => {
    seen.push({ name, event, isTaken: false });
    for (const look of [...waiting]) look();
  });

  const ofName = <N extends Name>(name: N) => seen.filter((entry) => entry.name === name) as Seen<N>[];

  return {
    next(name, matches = () => true, { limitMs = 25_000 } = {}) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const found = ofName(name).find(({ event, isTaken }) => !isTaken && matches(event));
          if (found === undefined) return;
          found.isTaken = true;
          finish();
          resolve(found.event);
        };
        const finish = () => {
          clearTimeout(timer);
          waiting.delete(look);
        };
        const timer = setTimeout(() => {
          finish();
          reject(
            new Error(`No further "${name}" that matches came within ${limitMs} ms. Seen:\n${list(seen)}`),
          );
        }, limitMs);
        waiting.add(look);
        look();
      });
    },
    all: (name) => ofName(name).map(({ event }) => event),
    names: () => seen.map(({ name }) => name),
    stop,
  };
}

function list(seen: Seen[]): string {
  if (seen.length === 0) return "  nothing at all";
  return seen
    .slice(-50)
    .map(({ name, event }) => `  ${name} ${JSON.stringify(event, errorsAsText)?.slice(0, 300)}`)
    .join("\n");
}

function errorsAsText(_key: string, value: unknown): unknown {
  return value instanceof Error ? `${value.name}: ${value.message}` : value;
}
