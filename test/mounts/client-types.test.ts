import type {
  BudgetAnswer,
  BudgetLimitAnswer,
  BudgetUsagePage,
  JobAnswer,
  LiveJobEvent,
  SignalledAnswer,
} from "@lockstep/client";
import type * as contract from "@lockstep/server/contract";
import { expectTypeOf, test } from "vitest";

// The types say it, when they are checked: a field that only one of them has does not compile.
test("the client has the types of what the server's contract promises", () => {
  expectTypeOf<JobAnswer>().toEqualTypeOf<contract.JobAnswer>();
  expectTypeOf<SignalledAnswer>().toEqualTypeOf<contract.SignalledJobAnswer>();
  expectTypeOf<BudgetAnswer>().toEqualTypeOf<contract.BudgetAnswer>();
  expectTypeOf<BudgetUsagePage>().toEqualTypeOf<contract.BudgetUsagePageAnswer>();
  expectTypeOf<BudgetLimitAnswer>().toEqualTypeOf<contract.BudgetLimitAnswer>();
  expectTypeOf<keyof LiveJobEvent>().toEqualTypeOf<keyof contract.JobEventAnswer>();
});
