import { createClient } from "@lockstep/client";
import { startPostgres } from "@lockstep/local-postgres";
import { createServer, listen } from "@lockstep/server";
import { createEngine, definePipeline } from "lockstep";

/** Stands for a model that sends its answer word by word, and breaks off the first time. */
async function* answerOf(question: string, attempt: number): AsyncGenerator<string> {
  for (const word of ["A ", "queue ", "is ", "a ", "line."]) {
    if (attempt === 1 && word === "a ") throw new Error(`no more about "${question}"`);
    yield word;
  }
}

const retry = { kind: "constant", baseMs: 300 } as const;
const explain = definePipeline<{ question: string }>("explain").stage(
  "ask",
  { retry },
  async ({ payload, stream, attempt }) => {
    const text = stream<string>("answer");
    for await (const word of answerOf(payload.question, attempt)) await text.write(word);
    return (await text.written()).join("");
  },
);

const databaseUrl = process.env.DATABASE_URL ?? (await startPostgres()).url;
const tokenSecret = "a random text that all processes share"; // from your secrets, not from your code
const engine = createEngine({ databaseUrl, pipelines: [explain], tokenSecret, logger: null });
await engine.migrate();
const server = await listen(createServer({ engine, access: "loopback" }), { port: 0 });

const { id } = await engine.add(explain, { question: "What is a queue?" }, { owner: "ada" });
await engine.start();

// In the browser this asks your own server, which knows who is logged in.
const token = () => engine.ownerToken("ada", { expiresInMs: 3_600_000 });
const client = createClient({ baseUrl: server.url, token });
const words: string[] = [];
for await (const message of client.stream<string>(id, "answer")) {
  if (message.type === "rewind") words.length = message.to;
  else words.push(message.chunk);
  console.log(message.type === "rewind" ? `rewind to ${message.to}` : words.join(""));
}
console.log(await engine.result(id));

await server.stop();
await engine.stop();
