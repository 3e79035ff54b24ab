import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["@lockstep/source", "node", "development|production"];

/** What installs and builds other frameworks: too slow for every change, run by `npm run test:long`. */
export default defineConfig({
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    include: ["test/frameworks/*.long.ts"],
    globalSetup: ["packages/test-support/src/global-setup.ts"],
    testTimeout: 180_000,
    hookTimeout: 240_000,
  },
});
