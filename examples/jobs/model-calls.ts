import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, streamText } from "@lockstep/ai";
import { startPostgres } from "@lockstep/local-postgres";
import { budget, createEngine, definePipeline } from "lockstep";
import { z } from "zod";

/** Stands for a provider: it speaks OpenAI's protocol, and is too busy when it is first asked. */
let calls = 0;
const provider = createServer(async (request, response) => {
  const { stream } = (await json(request)) as { stream?: boolean };
  calls += 1;
  if (calls === 1) {
    response.writeHead(429, { "retry-after-ms": "200" }).end('{"error":{"message":"too many requests"}}');
    return;
  }
  const usage = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 };
  if (!stream) {
    const message = { role: "assistant", content: '{"subject":"queues","isQuestion":true}' };
    response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage }));
    return;
  }
  for (const content of ["A ", "queue ", "is ", "a ", "line."]) {
    response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`);
  }
  const end = { choices: [{ delta: {}, finish_reason: "stop" }], usage };
  response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
});
await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));

// In an application: openai("gpt-5-mini") of @ai-sdk/openai, or any other model of the AI SDK.
const { port } = provider.address() as AddressInfo;
const baseURL = `http://127.0.0.1:${port}/v1`;
const own = createOpenAICompatible({
  name: "own",
  baseURL,
  includeUsage: true,
  supportsStructuredOutputs: true,
});
const model = own("any");

const tokens = budget("tokens", { per: "owner", limit: 100_000, everyMs: 86_400_000, unit: "tokens" });

const explain = definePipeline<{ text: string }>("explain", { budgets: [tokens] })
  .stage("sort", { spends: { tokens: 1_000 } }, async (context) => {
    const { object } = await generateObject(context, {
      key: "sort",
      model,
      prompt: `What is this about? ${context.payload.text}`,
      schema: z.object({ subject: z.string(), isQuestion: z.boolean() }),
      spends: { tokens: (usage) => usage.totalTokens },
    });
    return object;
  })
  .stage(
    "answer",
    { spends: { tokens: 2_000 }, retry: { kind: "constant", baseMs: 10 } },
    async (context) => {
      const { text, usage } = await streamText(context, {
        key: "answer",
        stream: "answer",
        model,
        system: `You know everything about ${context.output.subject}.`,
        prompt: context.payload.text,
        timeout: { totalMs: 60_000, chunkMs: 10_000 },
        spends: { tokens: (used) => used.totalTokens },
      });
      if (context.attempt === 1) throw new Error("something else goes wrong");
      return { text, tokens: usage.totalTokens };
    },
  );

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const engine = createEngine({ databaseUrl, pipelines: [explain], logger: null });
await engine.migrate();
await engine.start();

const { id } = await engine.add(explain, { text: "What is a queue?" }, { owner: "ada" });
for await (const entry of engine.readStream(id, "answer")) {
  console.log(entry.kind === "chunk" ? entry.chunk : "from the start");
}
console.log(await engine.result(id));
for (const { stage, error } of (await engine.get(id))?.attempts ?? [])
  console.log(stage, error?.message ?? "done");
const [used] = await engine.budgetUsage("tokens", { scope: "ada" });
console.log(`${calls} calls, ${used?.spent} of ${used?.limit} tokens`);

await engine.stop();
provider.close();
