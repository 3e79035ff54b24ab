import { testDatabase } from "@lockstep/test-support";
import { beforeAll, test } from "vitest";
import { allPairMoves } from "./all-pair-moves.ts";
import { Meeting, points } from "./meet.ts";

const db = testDatabase();
let meeting: Meeting;

beforeAll(async () => {
  const [first, second, watcher] = [await db.connect(), await db.connect(), await db.connect()];
  meeting = new Meeting({ first, second, watcher });
  await meeting.prepare();
});

const cases = allPairMoves.flatMap(({ subject, moves, after = [] }) =>
  points.flatMap((point) =>
    moves.map((first) => ({ subject, name: first.name, point, first, moves, after })),
  ),
);

test.each(cases)(
  "each move on $subject meets one of $name, $point, and both are told what holds",
  async ({ point, first, moves, after }) => {
    for (const second of moves) await meeting.of({ first, second, after }, point);
  },
);
