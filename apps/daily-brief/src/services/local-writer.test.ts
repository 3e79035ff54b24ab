import { expect, test } from "vitest";
import { LocalWriter } from "./local-writer.ts";

const writer = new LocalWriter();
const ada = { greeting: "Good evening", name: "Ada Lovelace", briefDate: "2026-03-02" };
const loom = {
  ...{ name: "Loom", summary: "" },
  tasks: [
    { title: "Dream", dueOn: null },
    { title: "Mend", dueOn: "2026-03-09" },
    { title: "Weave", dueOn: "2026-03-02" },
    { title: "Card", dueOn: "2026-03-01" },
  ],
};

test("a brief counts what is due and late, and names what is most pressing first", async () => {
  expect(await writer.brief({ ...ada, projects: [loom] })).toEqual({
    headline: "Good evening, Ada Lovelace: 1 task due today",
    summary: "4 open tasks in 1 project, 1 of them late.",
    focus: [
      "Card (Loom, due 1 March 2026)",
      "Weave (Loom, due 2 March 2026)",
      "Mend (Loom, due 9 March 2026)",
      "Dream (Loom)",
    ],
  });
});

test("who has nothing to do is told so", async () => {
  const { headline, focus } = await writer.brief({ ...ada, projects: [] });
  expect([headline, focus]).toEqual(["Good evening, Ada Lovelace: 0 tasks due today", []]);
});

test("phases are parts as equal as can be, in the order of their days, and no more than asked for", async () => {
  expect(await writer.phases(loom, 2)).toEqual([
    { name: "Phase 1", tasks: ["Card", "Weave"] },
    { name: "Phase 2", tasks: ["Mend", "Dream"] },
  ]);
  expect(await writer.phases(loom, 10)).toHaveLength(4);
  expect(await writer.phases({ ...loom, tasks: [] }, 3)).toEqual([]);
});

test("a profile is the first sentence and the words that come most often", async () => {
  const text = "I weave patterns. Patterns of algebra, and looms for patterns; looms!";
  expect(await writer.profile(text)).toEqual({
    summary: "I weave patterns.",
    interests: ["patterns", "looms", "weave", "algebra"],
  });
});
