import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["@lockstep/source", "node", "development|production"];

/** What installs and builds with other frameworks, bundlers and compilers: too slow for every change, run by `npm run test:long`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    include: ["test/{frameworks,packaging}/*.long.ts"],
    // Both build the packages first.
    fileParallelism: false,
    globalSetup: ["packages/test-support/src/global-setup.ts"],
    testTimeout: 180_000,
    hookTimeout: 240_000,
  },
});
