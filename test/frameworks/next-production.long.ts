// In `npm run test:long`: building takes most of a minute.
import { testDatabase } from "@lockstep/test-support";
import { FrameworkFolder } from "./framework-folder.ts";
import { nextBuildWorks } from "./next-project.ts";

const db = testDatabase();

nextBuildWorks(FrameworkFolder.forThisFile(), db);
