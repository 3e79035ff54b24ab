import { expect, test } from "vitest";
import { auditVerdict } from "./audit-verdict.ts";

test.each<[string, string, boolean, RegExp]>([
  [
    "nothing is known",
    '{"auditReportVersion":2,"vulnerabilities":{}}',
    false,
    /^Audited: no known vulnerability\.$/,
  ],
  [
    "something is known",
    '{"vulnerabilities":{"pg":{"severity":"high"},"yaml":{}}}',
    true,
    /^Audited: 2 packages .*: pg \(high\), yaml \(unknown\)\./,
  ],
  [
    "the registry refuses",
    '{"message":"405 Method Not Allowed","statusCode":405}',
    false,
    /^Not audited: .*405 Method Not Allowed/,
  ],
  ["npm is silent", "", false, /^Not audited: .*it said nothing/],
  ["npm says what is no report", "npm error network", false, /^Not audited: .*npm error network/],
])("when %s", (_what, output, isFailure, sentence) => {
  expect(auditVerdict(output)).toEqual({ isFailure, sentence: expect.stringMatching(sentence) });
});
