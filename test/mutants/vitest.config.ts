import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { mutated } from "./mutant.ts";
import { mutantOfRun } from "./mutants.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const conditions = ["@lockstep/source", "node", "development|production"];

/** Changes the modules that tests load into their own process. */
function mutateModules(): Plugin {
  const mutant = mutantOfRun();
  return {
    name: "mutate modules",
    enforce: "pre",
    transform(code, id) {
      const own = mutant?.replacements.filter(({ file }) => id.split("?")[0] === `${root}${file}`) ?? [];
      return mutant && own.length > 0 ? mutated(code, mutant, own) : undefined;
    },
  };
}

// Any test of the repository, with the mutant that the environment names: LOCKSTEP_MUTANT=R6.
export default defineConfig({
  root,
  plugins: [mutateModules()],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  environments: { __vitest__: { resolve: { conditions } } },
  test: {
    globalSetup: ["packages/test-support/src/global-setup.ts", "test/mutants/mutate-template.ts"],
    include: ["{packages,test}/**/*.test.ts"],
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
