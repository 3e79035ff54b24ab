import { ListFilter, X } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useShortcut } from "../../shell/shortcuts.ts";
import { text } from "../../text/text.ts";
import { cn } from "../../ui/cn.ts";
import { filterWords, type Known, suggestionsFor, withoutWord } from "./filter-words.ts";

export interface FilterBoxProps {
  readonly filter: string;
  readonly onChange: (filter: string) => void;
  readonly known: Known;
  /** What the server says of the filter, when it cannot read it. */
  readonly problem: string | null;
}

/** Words become badges; the one being typed is completed from what is known. */
export function FilterBox({ filter, onChange, known, problem }: FilterBoxProps) {
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const problemId = useId();
  const words = filterWords(filter);
  const suggestions = isOpen ? suggestionsFor(typed, filter, known) : [];
  useShortcut("/", () => input.current?.focus());

  const commit = (added: string) => {
    setTyped("");
    setActive(-1);
    setOpen(false);
    if (added.trim() !== "") onChange([...words, added.trim()].join(" "));
  };
  const choose = (word: string) => {
    setActive(-1);
    if (/[:.]$/.test(word)) setTyped(word);
    else commit(word);
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const chosen = suggestions[active];
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      setActive(suggestions.length === 0 ? -1 : (active + step + suggestions.length) % suggestions.length);
    } else if (event.key === "Tab" && chosen !== undefined) {
      event.preventDefault();
      choose(chosen.word);
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (chosen !== undefined) choose(chosen.word);
      else commit(typed);
    } else if (event.key === "Backspace" && typed === "" && words.length > 0) {
      event.preventDefault();
      setTyped(words.at(-1) ?? "");
      onChange(withoutWord(filter, words.length - 1));
    } else if (event.key === "Escape") {
      if (isOpen && suggestions.length > 0) setOpen(false);
      else input.current?.blur();
    }
  };

  return (
    <div className="relative min-w-0 flex-1">
      <div
        className={cn(
          "flex min-h-9 flex-wrap items-center gap-1.5 rounded-md border border-edge bg-panel py-1 pe-1 ps-2.5 has-[input:focus]:outline-2 has-[input:focus]:outline-offset-1 has-[input:focus]:outline-primary",
          problem !== null && "border-danger",
        )}
      >
        <ListFilter size={15} aria-hidden className="shrink-0 text-muted" />
        {words.map((word, index) => (
          <span
            key={index}
            className="inline-flex h-6 max-w-full items-center rounded bg-selected ps-2 font-mono text-xs"
          >
            <span className="truncate">{word}</span>
            <button
              type="button"
              aria-label={text.jobs.removeFilter(word)}
              onClick={() => onChange(withoutWord(filter, index))}
              className="flex size-6 shrink-0 items-center justify-center rounded text-muted hover:text-ink"
            >
              <X size={13} aria-hidden />
            </button>
          </span>
        ))}
        <input
          ref={input}
          role="combobox"
          aria-label={text.jobs.filter}
          aria-expanded={suggestions.length > 0}
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={active >= 0 ? `${listId}-${active}` : undefined}
          aria-invalid={problem !== null || undefined}
          aria-describedby={problem === null ? undefined : problemId}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          placeholder={words.length === 0 ? text.jobs.filterHint : ""}
          onFocus={() => setOpen(true)}
          onBlur={() => {
            setOpen(false);
            setActive(-1);
          }}
          onChange={(event) => {
            setTyped(event.target.value);
            setOpen(true);
            setActive(-1);
          }}
          onKeyDown={onKeyDown}
          className="h-7 min-w-32 flex-1 bg-transparent text-table outline-none placeholder:text-muted"
        />
        {words.length > 0 && (
          <button
            type="button"
            onClick={() => onChange("")}
            className="h-7 shrink-0 rounded px-2 text-xs text-muted hover:bg-well hover:text-ink"
          >
            {text.jobs.clear}
          </button>
        )}
      </div>
      <div
        id={listId}
        role="listbox"
        aria-label={text.jobs.suggestions}
        className={cn(
          "absolute top-full start-0 z-20 mt-1 w-full max-w-md rounded-lg border bg-raised p-1 shadow-[var(--shadow-float)]",
          suggestions.length === 0 && "hidden",
        )}
      >
        {suggestions.map(({ word, hint }, index) => (
          <div
            key={word}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            // Before the field loses its focus, and the list with it.
            onMouseDown={(event) => {
              event.preventDefault();
              choose(word);
            }}
            className={cn(
              "flex min-h-7 cursor-pointer items-center justify-between gap-4 rounded px-2 text-table hover:bg-selected",
              index === active && "bg-selected",
            )}
          >
            <span className="font-mono text-xs">{word}</span>
            <span className="truncate text-xs text-muted">{hint}</span>
          </div>
        ))}
      </div>
      {problem !== null && (
        <p id={problemId} role="alert" className="mt-1 text-table text-danger">
          {problem}
        </p>
      )}
    </div>
  );
}
