import { z } from "zod";
import { plainText } from "./plain-text.ts";

// What people type, checked where it comes in. Each message is a sentence for the person who typed it.

/** One line of text that is not empty. */
export function line(what: string, longest: number) {
  const wrong = `${what} must have 1 to ${longest} characters.`;
  return text(longest, wrong).refine((value) => value !== "", wrong);
}

/** One line of text, perhaps none. */
export function text(longest: number, wrong = `This must have at most ${longest} characters.`) {
  return z
    .string(wrong)
    .max(longest, wrong)
    .transform((value) => plainText(value, longest));
}

export const personName = line("A name", 80);

/** One recipient on one line: what the table allows, and a point in the domain. */
export const mailAddress = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@,;<>\p{Cc}]+@[^\s@,;<>\p{Cc}]+\.[^\s@,;<>\p{Cc}]+$/u, "This is not a mail address.");

/** With its country, as +15550100; however it was grouped. */
export const phoneNumber = z
  .string()
  .max(40)
  .transform((value) => value.replace(/[\s()./-]/g, "").replace(/^00/, "+"))
  .refine(
    (value) => /^\+[1-9]\d{5,14}$/.test(value),
    "This is not a whole number. Begin with the country, as in +44 20 7946 0000.",
  );

export const timeOfDay = z
  .string()
  .regex(/^([01]\d|2[0-3]):[0-5]\d$/, "The time must be one of the day, such as 07:00.");

export const dueDay = z.iso
  .date("A due day must be a date, such as 2026-03-02.")
  .refine((day) => day >= "2000" && day < "2200", "A due day must lie between the years 2000 and 2199.")
  .nullable();
