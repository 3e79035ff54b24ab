import type { SourceFile } from "./source-files.ts";

interface WordRule {
  words: RegExp;
  /** Where the rule holds. */
  within: RegExp;
  /** Where the words may stand all the same. Tests may use them everywhere. */
  except: RegExp;
  reason: string;
}

const rules: WordRule[] = [
  {
    words: /\bsetTimeout\b|\bsetInterval\b|\bDate\.now\b|\bnew Date\(\)|["']node:timers/,
    within: /^packages\/engine\//,
    except: /\/src\/clock\.ts$|\/heartbeat-thread\.js$/,
    reason:
      "In the engine time comes from the Clock it is handed; only clock.ts and heartbeat-thread.js make it.",
  },
  {
    words:
      /["'`]\s*(select\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|with\s+\w+\s+as\s*\(|create\s+(table|index|function|schema)\s|alter\s+table\s|truncate\s)|\blockstep\.[a-z_]+\b/i,
    within: /^(packages|apps)\/.*\.(ts|tsx|js)$/,
    // The names of attributes and metrics look like those of tables.
    except:
      /^packages\/(console|database|test-support)\/|^packages\/engine\/src\/(store\/|events\/telemetry-names\.ts$)|^packages\/testing\/src\/clocked-schema\.ts$|^packages\/cli\/src\/import\/store\/|^apps\/[^/]+\/src\/store\//,
    reason:
      "SQL and the names of tables and functions stand only in packages/database, engine/src/store and an app's store, and those of other queues in cli/src/import/store.",
  },
  {
    // A list of columns may be named once for several statements.
    words:
      /`\s*(select|insert\s+into|update|delete\s+from|with\s+\w+\s+as)\s[^`]*\$\{(?!\w+Columns\})|["'`]\s*(select|insert\s+into|update|delete\s+from)\s[^"'`]*["'`]\s*\+/i,
    within: /^(packages|apps)\/.*\.(ts|js)$/,
    except:
      /^packages\/(console|database|test-support|testing)\/|^packages\/engine\/src\/store\/calls\/call-function\.ts$/,
    reason:
      "A statement is a constant text and its values are parameters; only packages/database puts SQL together.",
  },
  {
    words: /\bp_now\b/,
    within: /^/,
    except:
      /^packages\/(database|test-support)\/|^packages\/testing\/src\/clocked-schema\.ts$|^scripts\/arrows\/|^test\/(model|mutants|fuzz)\//,
    reason: "The database's clock decides; p_now is sent only by tests.",
  },
  {
    words: /\bprocess\.exit\(/,
    within: /^/,
    except:
      /\/main\.ts$|^packages\/cli\/src\/start\.ts$|^scripts\/|^examples\/|^test\/|^bench\/|\/heartbeat-thread\.js$/,
    reason: "Only main.ts and the start of the CLI end a process; a library lets its caller decide.",
  },
];

export function wordProblems(files: SourceFile[]): string[] {
  return files
    .filter(({ path, isTest }) => !isTest && /\.(ts|tsx|js)$/.test(path))
    .flatMap(({ path, code }) =>
      rules
        .filter(({ within, except }) => within.test(path) && !except.test(path))
        .flatMap(({ words, reason }) => {
          const found = words.exec(code)?.[0].trim();
          return found === undefined ? [] : [`${path} says ${found}. ${reason}`];
        }),
    );
}
