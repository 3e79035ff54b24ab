import type { Command } from "./command.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { verifyCommand } from "./commands/verify.ts";
import { workCommand } from "./commands/work.ts";

/** All there are, in the order in which help shows them. */
export const commands: readonly Command[] = [workCommand, doctorCommand, verifyCommand];
