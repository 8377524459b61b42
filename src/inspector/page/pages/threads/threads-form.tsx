import { useId, useState } from "preact/hooks";
import { useRead } from "../../server/use-read.js";
import { pairText } from "./parse-metadata-filter.js";
import { useTypedText } from "../../parts/use-typed-text.js";

interface ThreadsFormProps {
  readonly search: string;
  readonly text: string;
  readonly filter: string;
  /** Why the filter can't be used. */
  readonly problem: string | undefined;
  readonly onChange: (changes: {
    readonly search?: string;
    readonly text?: string;
    readonly filter?: string;
  }) => void;
}

/** Asks which threads to list. */
export function ThreadsForm({ search, text, filter, problem, onChange }: ThreadsFormProps) {
  const [searchText, setSearchText] = useTypedText(search, (text) => {
    onChange({ search: text });
  });
  // A search reads values, so it waits for Enter, or until the person goes elsewhere. Another text of the address replaces what was typed.
  const [draft, setDraft] = useState({ text, typed: text });
  const typed = draft.text === text ? draft.typed : text;
  const [filterText, setFilterText] = useTypedText(filter, (text) => {
    onChange({ filter: text });
  });
  const [problemId, suggestionsId] = [useId(), useId()];
  const { data } = useRead("metadataSuggestions", {});
  const suggestions = (data?.suggestions ?? []).flatMap(({ name, values }) =>
    values.flatMap((value) => pairText(name, value) ?? []),
  );
  return (
    <form
      class="threads-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ search: searchText, text: typed, filter: filterText });
      }}
    >
      <label>
        <span>Thread id</span>
        <input
          type="search"
          placeholder="contains…"
          value={searchText}
          onInput={({ currentTarget }) => {
            setSearchText(currentTarget.value);
          }}
        />
      </label>
      <label>
        <span>Text</span>
        <input
          type="search"
          placeholder="in messages, values, errors"
          enterKeyHint="search"
          value={typed}
          onInput={({ currentTarget: { value } }) => {
            setDraft({ text, typed: value });
            if (value === "") onChange({ text: "" });
          }}
          // Preact takes `onChange` of a field for `onInput`.
          onBlur={() => {
            if (typed !== text) onChange({ text: typed });
          }}
        />
      </label>
      <label class="threads-filter">
        <span>Metadata</span>
        <input
          type="search"
          class="mono"
          spellcheck={false}
          list={suggestionsId}
          placeholder='source=loop or {"user": "42"}'
          value={filterText}
          aria-invalid={problem !== undefined}
          aria-describedby={problemId}
          onInput={({ currentTarget }) => {
            setFilterText(currentTarget.value);
          }}
        />
      </label>
      <datalist id={suggestionsId}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
      <p id={problemId} class="threads-problem" role="status">
        {problem}
      </p>
      {/* Without a button, Enter sends no form of several fields. */}
      <button type="submit" hidden />
    </form>
  );
}
