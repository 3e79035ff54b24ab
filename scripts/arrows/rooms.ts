/** What each room may import of ours. "type X" allows X for its types only. */
export const mayImport: Record<string, readonly string[]> = {
  "packages/database": [],
  "packages/engine": ["@lockstep/database"],
  "packages/local-postgres": [],
  "packages/server": ["lockstep"],
  "packages/client": [],
  "packages/react": ["@lockstep/client"],
  "packages/ai": ["lockstep"],
  "packages/console": ["type @lockstep/server/contract"],
  "packages/cli": [
    "lockstep",
    "@lockstep/database",
    "@lockstep/server",
    "@lockstep/console",
    "@lockstep/local-postgres",
  ],
  "packages/testing": ["lockstep", "@lockstep/database", "@lockstep/local-postgres"],
  "packages/test-support": [
    "lockstep",
    "@lockstep/database",
    "@lockstep/local-postgres",
    "@lockstep/testing",
  ],
  "packages/create-lockstep": [],
  "packages/guarded-fetch": [],
  "packages/app-kit": [
    "lockstep",
    "@lockstep/server",
    "@lockstep/ai",
    "@lockstep/local-postgres",
    "@lockstep/guarded-fetch",
  ],
  "apps/*": [
    "lockstep",
    "@lockstep/server",
    "@lockstep/client",
    "@lockstep/react",
    "@lockstep/ai",
    "@lockstep/cli",
    "@lockstep/console",
    "@lockstep/local-postgres",
    "@lockstep/guarded-fetch",
    "@lockstep/app-kit",
  ],
};

/** What tests of any room may import besides. */
export const inTests: readonly string[] = ["@lockstep/test-support", "@lockstep/testing"];

/** The same for the folders and files of the engine. */
export const insideEngine: Record<string, readonly string[]> = {
  "jobs/": [],
  "clock.ts": [],
  "events/": ["jobs/", "type clock.ts"],
  "store/": ["jobs/", "type clock.ts"],
  "waiting/": ["type clock.ts"],
  // What any process may do: nothing of a worker's.
  "client/": ["jobs/", "store/", "events/", "waiting/", "clock.ts", "type engine-config.ts"],
  "worker/": ["jobs/", "store/", "events/", "waiting/", "clock.ts", "type engine-config.ts"],
  "stepping/": ["worker/", "jobs/", "store/", "events/", "clock.ts", "type engine-config.ts"],
  "engine.ts": ["*"],
  "index.ts": ["*"],
};

/** What the engine's files beside its folders may import besides each other: its settings, mostly. */
export const besideEngine: readonly string[] = ["jobs/", "clock.ts", "events/"];

/** Rooms that are published as one bundle: what their code imports is inside it, and nobody need install it. */
export const bundledRooms: readonly string[] = ["packages/console"];

/** Rooms where everything may be brought together. */
const openRooms = ["bench", "examples", "scripts", "test"];

const nameOfRoom: Record<string, string> = {
  "packages/engine": "lockstep",
  "packages/create-lockstep": "create-lockstep",
};

/** The room a path lies in, undefined where no rule holds. */
export function roomOf(path: string): string | undefined {
  const [top = "", second = ""] = path.split("/");
  if (openRooms.includes(top) || (top !== "packages" && top !== "apps")) return undefined;
  return `${top}/${second}`;
}

/** The name other rooms import it by. */
export function packageName(room: string): string {
  return nameOfRoom[room] ?? `@lockstep/${room.split("/")[1]}`;
}

export function allowedImports(room: string): readonly string[] | undefined {
  return mayImport[room] ?? (room.startsWith("apps/") ? mayImport["apps/*"] : undefined);
}

export function isOurs(specifier: string): boolean {
  return /^(lockstep|@lockstep\/[^/]+)(\/|$)/.test(specifier);
}

/** "packages/server may import only lockstep." */
export function sentenceAbout(room: string, allowed: readonly string[]): string {
  return allowed.length === 0
    ? `${room} may import nothing of ours.`
    : `${room} may import only ${allowed.join(", ")}.`;
}
