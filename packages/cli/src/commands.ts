import type { Command } from "./command.ts";
import { verifyCommand } from "./commands/verify.ts";

/** All there are, in the order in which help shows them. */
export const commands: readonly Command[] = [verifyCommand];
