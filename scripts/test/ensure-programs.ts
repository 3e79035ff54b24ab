import { spawnSync } from "node:child_process";
import { findChromium } from "../../test/browser/chromium.ts";
import { findRedis } from "../../test/import/find-redis.ts";
import { findPgBouncer } from "../../test/pgbouncer/pg-bouncer.ts";

interface Program {
  readonly name: string;
  readonly find: () => string | null;
  /** Debian's. */
  readonly packages: readonly string[];
  /** The end of the sentence that there is none, so …, and what else one may do than install it. */
  readonly notRun: string;
  readonly otherwise: string;
}

const programs: readonly Program[] = [
  {
    name: "Chromium",
    find: findChromium,
    packages: ["chromium", "fonts-liberation"],
    notRun: "the stories of the console in a browser are not run",
    otherwise: ", or say where it is: CHROMIUM=/path/to/chromium npm test",
  },
  {
    name: "PgBouncer",
    find: findPgBouncer,
    packages: ["pgbouncer"],
    notRun: "the tests through a pooler are not run",
    otherwise: "",
  },
  {
    name: "Redis",
    find: findRedis,
    packages: ["redis-server"],
    notRun: "the imports from BullMQ on Redis are not tried",
    otherwise: "",
  },
];

const updateMs = 60_000;
const installMs = 180_000;

/** Installs what tests need beside Node and npm, if it may. A sentence for each that is then still missing. */
export function ensurePrograms(): string[] {
  const isMissing = ({ find }: Program) => find() === null;
  const missing = programs.filter(isMissing);
  const isRoot = process.getuid?.() === 0;
  if (missing.length > 0 && isRoot && hasApt()) {
    console.log(
      `Installing from Debian, for tests that need it: ${missing.map(({ name }) => name).join(", ")}.`,
    );
    apt(["update", "-qq"], updateMs);
    // Each by itself: one that cannot be had keeps none of the others away.
    for (const { packages } of missing)
      apt(["install", "-y", "-qq", "--no-install-recommends", ...packages], installMs);
  }
  return missing
    .filter(isMissing)
    .map(
      ({ name, packages, notRun, otherwise }) =>
        `There is no ${name}, so ${notRun}. Install it, such as with \`apt-get install -y ${packages.join(" ")}\`${otherwise}.`,
    );
}

function hasApt(): boolean {
  return spawnSync("apt-get", ["--version"], { stdio: "ignore" }).status === 0;
}

/** Bounded: without a network the tests go on without it. */
function apt(args: string[], timeout: number): void {
  // At this run level Debian starts no service that it installs: the tests start a PgBouncer of their own.
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
  const quick = [
    "-o",
    "Acquire::Retries=0",
    "-o",
    "Acquire::http::Timeout=20",
    "-o",
    "DPkg::Lock::Timeout=20",
  ];
  spawnSync("apt-get", [...quick, ...args], { env, timeout, stdio: ["ignore", "ignore", "inherit"] });
}
