import { lockstepWith } from "./lockstep.ts";

export const contender = lockstepWith({ stage: { concurrency: 50 } });
