// In `npm run test:long`, since installing and building takes minutes: the example projects and what `npm create lockstep` adds, in the real frameworks, with our packages as they are published.
import { testDatabase } from "@lockstep/test-support";
import { beforeEach } from "vitest";
import { createdProjectsWork } from "./created-projects.ts";
import { expressPrismaProjectWorks } from "./express-prisma-project.ts";
import { FrameworkFolder } from "./framework-folder.ts";
import { nestProjectWorks } from "./nest-project.ts";
import { nextBuildWorks, nextProjectWorks } from "./next-project.ts";
import { readmeExampleWorks } from "./readme-example.ts";

const db = testDatabase();
const folder = FrameworkFolder.forThisFile();

// What a project that failed has left is no affair of the next one.
beforeEach(() => db.reset());

readmeExampleWorks(folder, db);
nextProjectWorks(folder, db);
nextBuildWorks(folder, db);
nestProjectWorks(folder, db);
expressPrismaProjectWorks(folder, db);
createdProjectsWork(folder, db);
