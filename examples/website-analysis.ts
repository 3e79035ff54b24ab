import { setTimeout as pause } from "node:timers/promises";
import { definePipeline } from "lockstep";
import { z } from "zod";

/** Three stages that need no network: the page comes with the payload, and a few sums stand in for the model. */
export const websiteAnalysis = definePipeline("website-analysis", {
  payload: z.object({ site: z.string(), page: z.string() }),
})
  .stage("website-analysis", { processors: 3 }, async ({ payload, progress, signal }) => {
    const title = /<title>(.*?)<\/title>/.exec(payload.page)?.[1] ?? payload.site;
    progress(50, `read the title "${title}"`);
    await pause(250, undefined, { signal });
    return { title, words: payload.page.replace(/<[^>]*>/g, " ").match(/\p{L}+/gu) ?? [] };
  })
  .stage("prompt-forming", { processors: 2 }, async ({ output, signal }) => {
    await pause(150, undefined, { signal });
    const topics = [...new Set(output.words)].filter((word) => word.length > 4);
    return topics.map((topic) => `What does ${output.title} say about ${topic}?`);
  })
  .stage(
    "model-analysis",
    { processors: 2, retry: { kind: "constant", baseMs: 1_500, jitter: 0 } },
    async ({ payload, output, outputs, attempt, signal }) => {
      await pause(350, undefined, { signal });
      if (payload.site === "cinema.example" && attempt === 1) throw new Error("the model is busy");
      return { questions: output.length, words: outputs["website-analysis"].words.length };
    },
  );

export const sites = [
  {
    site: "bakery.example",
    page: "<title>The Bakery</title><p>Fresh bread and pastry since the morning.</p>",
  },
  { site: "cinema.example", page: "<title>The Cinema</title><p>Two screens, films every evening.</p>" },
  { site: "garden.example", page: "<title>The Garden</title><p>Roses, apples and a quiet bench.</p>" },
  { site: "harbour.example", page: "<title>The Harbour</title><p>Boats leave with the tide.</p>" },
  { site: "library.example", page: "<title>The Library</title><p>Books to borrow for three weeks.</p>" },
  {
    site: "museum.example",
    page: "<title>The Museum</title><p>Paintings, coins and one old steam engine.</p>",
  },
];
