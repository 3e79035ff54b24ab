import type { Engine, JobId } from "lockstep";
import { answerStream } from "../services/asking/analyst.ts";

/** What the page is told of one answer: another piece of it, or how many pieces still count. */
export type AnswerWords =
  | { readonly question: string; readonly words: string }
  | { readonly question: string; readonly keep: number };

/**
 * The answers to all questions of an analysis while they are written, as server-sent events on one connection: a browser has only six for a site. It begins
 * at the beginning, also for a browser that comes back.
 */
export function questionWords(
  engine: Pick<Engine, "readStream">,
  questions: readonly { readonly name: string; readonly jobId: JobId }[],
): Response {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  const { signal } = gone;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const say = (event: string, data: object) =>
        controller.enqueue(encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
      const read = async (question: string, jobId: JobId) => {
        for await (const entry of engine.readStream<string>(jobId, answerStream, { signal })) {
          const told: AnswerWords =
            entry.kind === "rewind" ? { question, keep: entry.to } : { question, words: entry.chunk };
          say("answer", told);
        }
      };
      Promise.all(questions.map(({ name, jobId }) => read(name, jobId))).then(
        () => {
          if (signal.aborted) return;
          say("end", {});
          controller.close();
        },
        // The browser has left, or comes back by itself.
        () => !signal.aborted && controller.close(),
      );
    },
    cancel: () => gone.abort(),
  });
  return new Response(body, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}
