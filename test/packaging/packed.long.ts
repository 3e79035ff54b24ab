// In `npm run test:long`, since they build for longest: other ways to bundle what people install, and an older compiler.
import { bundlesWork } from "./bundles.ts";
import { nextBuildsWork } from "./next-builds.ts";
import { PackedPackages } from "./packed-packages.ts";
import { typesResolve } from "./type-resolution.ts";

const packages = PackedPackages.forThisFile();

typesResolve(packages, ["node10 (TypeScript 5)"]);
bundlesWork(packages, ["webpack", "ncc"]);
nextBuildsWork(packages);
