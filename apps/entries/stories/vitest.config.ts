import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const conditions = ["@lockstep/source", "node", "development|production"];

/** What needs a production build, a browser and real leases: too slow for every change, run by `npm run prove`. */
export default defineConfig({
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    include: ["apps/entries/stories/*.story.ts"],
    globalSetup: ["packages/test-support/src/global-setup.ts"],
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
});
