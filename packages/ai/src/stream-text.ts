import { streamText as ask } from "ai";
import { CallStream } from "./call-stream.ts";
import type { GeneratedText } from "./generated.ts";
import { aboutOf, type ModelCallContext, type ModelCallOptions, modelCall } from "./model-call.ts";
import { readStream, silently } from "./read-stream.ts";
import { type StreamSettings, sdkSettings } from "./text-options.ts";

/** What `streamText` takes: a key, a stream, and what the AI SDK's own takes. */
export type StreamTextOptions = ModelCallOptions &
  StreamSettings & {
    /** The stream of the job that gets the words. Each call has one of its own. */
    readonly stream: string;
  };

/**
 * Asks a model inside a stage, and writes its words to a stream of the job as they come. The whole answer is kept as that of `generateText` is. One that
 * is cut in the middle is not: the next attempt starts over, and readers are told to forget what they saw.
 */
export async function streamText(
  context: ModelCallContext,
  options: StreamTextOptions,
): Promise<GeneratedText> {
  const { stream, ...settings } = sdkSettings(options);
  return await CallStream.during(context, stream, async (shown) => {
    let isKept = true;
    const answer = await modelCall(context, options, (told) => {
      isKept = false;
      const result = ask({ onError: silently, ...settings, ...told } as Parameters<typeof ask>[0]);
      return readStream(aboutOf(options), result, (soFar) => shown.show(soFar));
    });
    if (isKept) await shown.showKept(answer.text);
    return answer;
  });
}
