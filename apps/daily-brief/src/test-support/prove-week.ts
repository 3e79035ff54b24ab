import { simulateWeek } from "./simulated-week.ts";

const report = await simulateWeek({ people: Number(process.argv[2] ?? 500), days: 8 });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.problems.length === 0 ? 0 : 1;
