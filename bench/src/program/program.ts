import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Bench, Measured, Measurement } from "../measurements/measurement.ts";
import { measurements, type Order } from "../measurements/measurements.ts";
import { type ContenderAddress, loadContender } from "./contender-address.ts";
import { Crew } from "./crew.ts";
import { ServerMeter } from "./server-meter.ts";

/** One line of JSON on the program's input: to install its queue in a database, or to be measured there. */
export type ProgramQuestion =
  | { readonly kind: "install"; readonly url: string; readonly isTuned: boolean }
  | { readonly kind: "measure"; readonly run: ProgramRun };

export type ProgramRun = Order & {
  readonly url: string;
  readonly isTuned: boolean;
  /** Null where the store is not PostgreSQL. */
  readonly serverPid: number | null;
};

/** One line of JSON on its output for each. */
export type ProgramAnswer = Measured | { readonly error: string };

const address = JSON.parse(process.argv[2] ?? "") as ContenderAddress;
const { module, openOptions } = await loadContender(address);
const crew = new Crew(address);

async function measured(run: ProgramRun): Promise<Measured> {
  const meter = run.serverPid === null ? null : new ServerMeter(run.url, run.serverPid);
  await meter?.client.connect();
  const driver = await module.open(openOptions(run.url, run.isTuned));
  try {
    const measure = measurements[run.measurement] as Measurement<typeof run.parameters>;
    const { url, isTuned } = run;
    const { history } = module;
    const bench: Bench = { driver, crew, meter, url, isTuned, history, coldProgram: address.coldProgram };
    return await measure(bench, run.parameters);
  } finally {
    await driver.close();
    await meter?.client.end();
  }
}

async function answer(question: ProgramQuestion): Promise<ProgramAnswer> {
  try {
    if (question.kind === "measure") return await measured(question.run);
    await module.install(openOptions(question.url, question.isTuned));
    return { numbers: {} };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answered = await answer(JSON.parse(line) as ProgramQuestion);
  // Whole and at once, whatever else a peer writes there.
  writeSync(1, `${JSON.stringify(answered)}\n`);
}
crew.dismiss();
process.exit(0);
