import { testDatabase } from "@lockstep/test-support";
import { beforeAll, test } from "vitest";
import { Meeting, points } from "./meet.ts";
import { pairMoves, waitMoves } from "./pair-moves.ts";

const db = testDatabase();
let meeting: Meeting;

beforeAll(async () => {
  const [first, second, watcher] = [await db.connect(), await db.connect(), await db.connect()];
  meeting = new Meeting({ first, second, watcher });
  await meeting.prepare();
});

const cases = points.flatMap((point) => pairMoves.map((first) => [first.name, point, first] as const));

test.each(cases)(
  "each move meets one of %s, %s, and both are told what holds",
  async (_name, point, first) => {
    for (const second of pairMoves) await meeting.of(first, second, point);
  },
);

const waitCases = points.flatMap((point) => waitMoves.map((first) => [first.name, point, first] as const));

test.each(waitCases)(
  "each move on a job that waits meets one of %s, %s, and both are told what holds",
  async (_name, point, first) => {
    for (const second of waitMoves) await meeting.of(first, second, point);
  },
);
