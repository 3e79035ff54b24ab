import { simulateWeek } from "./simulated-week.ts";

// In these days Europe's clocks go forward (29 March), and those of Sydney and Auckland back (5 April).
const week = { startAt: new Date("2026-03-28T12:00:00Z"), endAt: new Date("2026-04-05T12:00:00Z") };

const people = Number(process.argv[2] ?? 500);
const report = await simulateWeek({ people, spans: [week], workers: 12 });
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
process.exitCode = report.problems.length === 0 ? 0 : 1;
