import type { Command } from "./command.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { verifyCommand } from "./commands/verify.ts";

/** All there are, in the order in which help shows them. */
export const commands: readonly Command[] = [doctorCommand, verifyCommand];
