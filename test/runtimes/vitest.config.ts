import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["@lockstep/source", "node", "development|production"];

/** What needs another runtime, which is a hundred megabytes each: run by `npm run test:bun` and `npm run test:deno`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    include: ["test/runtimes/*.test.ts"],
    globalSetup: ["packages/test-support/src/global-setup.ts"],
    testTimeout: 180_000,
    hookTimeout: 240_000,
  },
});
