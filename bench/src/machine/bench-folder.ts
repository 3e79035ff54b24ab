import { fileURLToPath } from "node:url";

/** Where bench keeps what it installs for itself; git does not see it. */
export const benchFolder = fileURLToPath(new URL("../../../.lockstep/bench/", import.meta.url));
