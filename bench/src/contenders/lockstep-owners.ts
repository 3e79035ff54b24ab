import { lockstepWith } from "./lockstep.ts";

export const contender = lockstepWith({ add: ({ n }) => ({ owner: `owner ${n % 100}` }) });
