import { RobotsPattern, withPlainEscapes } from "./robots-pattern.ts";

interface Rule {
  readonly pattern: RobotsPattern;
  readonly isAllowed: boolean;
}

const mostRules = 10_000;
// Such a rule is looked for in the whole path, where another is done at the first character that differs.
const mostRulesWithStars = 1_000;

/** What a robots.txt says to one robot, by RFC 9309. */
export class RobotsFile {
  readonly #rules: readonly Rule[];
  /** How much of it is held. */
  readonly characters: number;

  /** No address is longer than `longestUrl`, so that longer rules are left out: they match none. */
  constructor({ text, robot, longestUrl }: { text: string; robot: string; longestUrl: number }) {
    this.#rules = withFewStars(rulesFor(robot.toLowerCase(), text.split(/\r\n|\r|\n/)))
      .map(({ path, isAllowed }) => ({ pattern: new RobotsPattern(path), isAllowed }))
      .filter(({ pattern }) => pattern.fitsInto(longestUrl))
      // The longest rule that matches decides, and of two as long the one that allows.
      .sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed));
    this.characters = this.#rules.reduce((sum, { pattern }) => sum + pattern.length, 0);
  }

  allows({ pathname, search }: Pick<URL, "pathname" | "search">): boolean {
    const path = withPlainEscapes(pathname + search);
    return this.#rules.find(({ pattern }) => pattern.matches(path))?.isAllowed ?? true;
  }
}

interface WrittenRule {
  readonly path: string;
  readonly isAllowed: boolean;
}

/** Those of the groups that name the robot, or those for all when there is no such group. */
function rulesFor(robot: string, lines: readonly string[]): WrittenRule[] {
  const own: WrittenRule[] = [];
  const all: WrittenRule[] = [];
  let isNamed = false;
  let isAmongNames = false;
  let groups = new Set<WrittenRule[]>();
  for (const [key, value] of lines.map(recordOf)) {
    if (key === "user-agent") {
      // Names that follow each other share the rules below them.
      if (!isAmongNames) groups = new Set();
      isAmongNames = true;
      if (value === "*") groups.add(all);
      else if (productOf(value) === robot) groups.add(own);
      isNamed ||= groups.has(own);
    } else if (key === "allow" || key === "disallow") {
      isAmongNames = false;
      if (value === "") continue;
      for (const rules of groups) {
        if (rules.length < mostRules) rules.push({ path: value, isAllowed: key === "allow" });
      }
    }
  }
  return isNamed ? own : all;
}

function withFewStars(rules: readonly WrittenRule[]): WrittenRule[] {
  let withStars = 0;
  return rules.filter(({ path }) => {
    if (!path.includes("*")) return true;
    withStars += 1;
    return withStars <= mostRulesWithStars;
  });
}

function recordOf(line: string): [key: string, value: string] {
  const [said = ""] = line.split("#", 1);
  const colon = said.indexOf(":");
  return colon < 0 ? ["", ""] : [said.slice(0, colon).trim().toLowerCase(), said.slice(colon + 1).trim()];
}

/** The name without a version: `Robot/1.0` speaks to Robot. */
function productOf(userAgent: string): string {
  return /^[a-z_-]*/.exec(userAgent.toLowerCase())?.[0] ?? "";
}
