import type { JobAnswer, LiveJobEvent, SignalledAnswer } from "@lockstep/client";
import type * as contract from "@lockstep/server/contract";
import { expectTypeOf, test } from "vitest";

// The types say it, when they are checked: a field that only one of them has does not compile.
test("the client has the types of what the server's contract promises", () => {
  expectTypeOf<JobAnswer>().toEqualTypeOf<contract.JobAnswer>();
  expectTypeOf<SignalledAnswer>().toEqualTypeOf<contract.SignalledJobAnswer>();
  expectTypeOf<keyof LiveJobEvent>().toEqualTypeOf<keyof contract.JobEventAnswer>();
});
