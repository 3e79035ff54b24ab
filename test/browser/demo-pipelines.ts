import { setTimeout as sleep } from "node:timers/promises";
import { definePipeline, PermanentError } from "lockstep";
import { z } from "zod";

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal });

/** Three stages that take as long as the payload says, and fail where it says. */
export const websiteAnalysis = definePipeline("website-analysis", {
  payload: z.object({
    url: z.url().describe("Where to begin reading"),
    depth: z.int().min(1).max(5).default(2).describe("How many links to follow"),
    language: z.enum(["en", "de", "fr"]).default("en"),
    stepMs: z.int().min(0).max(60_000).default(400),
    failIn: z.string().optional(),
  }),
})
  .stage(
    "website-analysis",
    { processors: 4, maxAttempts: 3 },
    async ({ payload, progress, signal, log }) => {
      for (let page = 1; page <= 4; page += 1) {
        await pause(payload.stepMs / 4, signal);
        progress(page * 25, `page ${page} of 4`);
      }
      log.info("read the site", { pages: 4 });
      if (payload.failIn === "website-analysis") throw new Error(`The site ${payload.url} answered 503`);
      return { pages: 4, words: 1_812 };
    },
  )
  .stage("prompt-forming", { processors: 3 }, async ({ payload, signal }) => {
    await pause(payload.stepMs / 4, signal);
    return { prompts: ["What does it sell?", "To whom?"] };
  })
  .stage("model-analysis", { processors: 2, maxAttempts: 3 }, async ({ payload, progress, signal }) => {
    await pause(payload.stepMs / 2, signal);
    progress(50, "asking the model");
    await pause(payload.stepMs / 2, signal);
    if (payload.failIn === "model-analysis") throw new PermanentError("429 quota exceeded for model gpt-9");
    return { answer: "A shop for bicycles.", tokens: 4_211 };
  });

export const documentOcr = definePipeline("document-ocr", {
  payload: z.object({ doc: z.string(), stepMs: z.int().default(200) }),
})
  .stage("download", { processors: 2 }, async ({ payload, signal }) => pause(payload.stepMs, signal))
  .stage("extract", { processors: 2 }, async ({ payload, signal }) => {
    await pause(payload.stepMs, signal);
    if (payload.doc.includes("broken")) throw new Error(`Cannot read page 3 of ${payload.doc}`);
  })
  .stage("boost", { processors: 2 }, async ({ payload, signal }) => {
    await pause(payload.stepMs, signal);
    return { text: "…", confidence: 0.97 };
  });

export const demoPipelines = [websiteAnalysis, documentOcr];

/** Checked side by side, and paid out when somebody has approved it; what is in euros is not converted. */
export const expenseClaim = definePipeline("expense-claim", {
  payload: z.object({ item: z.string(), amount: z.number(), currency: z.enum(["EUR", "USD", "CHF"]) }),
})
  .stage("read-receipt", ({ payload }) => ({ amount: payload.amount }))
  .stage("convert", { when: ({ payload }) => payload.currency !== "EUR" }, ({ output }) => ({
    amount: Math.round(output.amount * 92) / 100,
  }))
  .parallel(
    "checks",
    {
      policy: ({ output }) => ({ isWithinPolicy: output.amount < 500 }),
      duplicates: async ({ signal }) => {
        await pause(120, signal);
        return { found: 0 };
      },
      budget: [
        { maxAttempts: 1 },
        ({ payload }) => {
          if (payload.currency === "CHF") throw new Error("There is no budget in CHF");
          return { left: 1_240 };
        },
      ],
    },
    { onFailure: { budget: "ignore" } },
  )
  .wait("approval", {
    signal: z.object({
      approved: z.boolean().describe("Whether the money is paid out"),
      note: z.string().max(500).optional(),
    }),
    timeoutMs: 3 * 86_400_000,
    notBy: "owner",
  })
  .stage("pay", ({ output }) => ({ isPaid: output.approved }));

/** What a furnished console has. */
export const furnishedPipelines = [...demoPipelines, expenseClaim];
