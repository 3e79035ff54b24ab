"use client";

import { Search } from "lucide-react";
import { useEffect, useState } from "react";

/** Asked for when nobody has typed for so long. */
const restMs = 250;

export function EntrySearch({ onSearch }: { onSearch(text: string): void }) {
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => onSearch(text.trim()), restMs);
    return () => clearTimeout(timer);
  }, [text, onSearch]);
  return (
    <search className="relative mb-4 block">
      <Search aria-hidden className="absolute top-2.5 left-3 size-5 text-muted" />
      <input
        type="search"
        aria-label="Search titles"
        placeholder="Search titles"
        autoComplete="off"
        maxLength={4_000}
        value={text}
        onChange={(event) => setText(event.target.value)}
        className="block min-h-10 w-full rounded-md border border-edge bg-panel py-1.5 pr-3.5 pl-10 text-base placeholder:text-muted"
      />
    </search>
  );
}
