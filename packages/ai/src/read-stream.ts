import type { FinishReason, streamText } from "ai";
import { checkedEnd, type Generated, type GeneratedText } from "./generated.ts";
import { brokenOff, ModelAnswerError } from "./model-error.ts";
import { modelUsageOf } from "./model-usage.ts";

/** By default the AI SDK also writes errors to the console. */
export const silently = (): void => {};

/** Reads an answer to its end, and tells all that has come at each word. Throws whatever has gone wrong, also in the middle. */
export async function readStream(
  about: string,
  result: Pick<ReturnType<typeof streamText>, "fullStream">,
  onText: (soFar: string) => Promise<void>,
): Promise<GeneratedText> {
  let text = "";
  let modelId = "";
  let hasBegun = false;
  let end: { readonly finishReason: FinishReason; readonly usage: Generated["usage"] } | null = null;
  const toolCalls: GeneratedText["toolCalls"][number][] = [];
  try {
    for await (const part of result.fullStream) {
      switch (part.type) {
        case "start-step":
          hasBegun = true;
          break;
        case "text-delta":
          text += part.text;
          if (part.text !== "") await onText(text);
          break;
        case "tool-call":
          toolCalls.push({ toolCallId: part.toolCallId, toolName: part.toolName, input: part.input });
          break;
        case "finish-step":
          modelId = part.response.modelId;
          break;
        case "finish":
          end = { finishReason: part.finishReason, usage: modelUsageOf(part.totalUsage) };
          break;
        case "error":
          throw part.error;
        case "abort":
          throw new DOMException(part.reason ?? "The call was aborted", "TimeoutError");
      }
    }
  } catch (error) {
    throw hasBegun ? brokenOff(error, about) : error;
  }
  if (end === null) throw new ModelAnswerError(`The model's answer about ${about} broke off.`);
  checkedEnd(about, end.finishReason, end.usage);
  return { text, toolCalls, modelId, ...end };
}
