import { lockstepWith } from "./lockstep.ts";

export const contender = lockstepWith({
  stage: { groupConcurrency: 5 },
  add: ({ n }) => ({ groupKey: `group ${n % 100}` }),
});
