import { useId } from "preact/hooks";
import { useTypedText } from "../../parts/use-typed-text.js";
import type { MemoryView } from "./memory-links.js";

interface ItemsFormProps {
  readonly view: MemoryView;
  readonly by: "words" | "meaning";
  readonly hasVectors: boolean;
  /** Why the filter can't be used. */
  readonly problem: string | undefined;
  readonly onChange: (changes: Partial<MemoryView>) => void;
}

/** Asks which items to list. */
export function ItemsForm({ view, by, hasVectors, problem, onChange }: ItemsFormProps) {
  const [query, setQuery] = useTypedText(view.query, (text) => {
    onChange({ query: text });
  });
  const [filter, setFilter] = useTypedText(view.filter, (text) => {
    onChange({ filter: text });
  });
  const problemId = useId();
  return (
    <form
      class="items-form"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        onChange({ query, filter });
      }}
    >
      <label>
        <span>Search</span>
        <input
          type="search"
          placeholder={by === "words" ? "words" : "a text of similar meaning"}
          value={query}
          onInput={({ currentTarget }) => {
            setQuery(currentTarget.value);
          }}
        />
      </label>
      {hasVectors && (
        <label>
          <span>by</span>
          <select
            value={by}
            onChange={({ currentTarget }) => {
              onChange({ query, filter, by: currentTarget.value === "words" ? "words" : "meaning" });
            }}
          >
            <option value="meaning">meaning</option>
            <option value="words">words</option>
          </select>
        </label>
      )}
      <label>
        <span>Filter</span>
        <input
          type="search"
          class="mono"
          spellcheck={false}
          autocomplete="off"
          placeholder='kind=fact or {"age": {"$gte": 18}}'
          value={filter}
          aria-invalid={problem !== undefined}
          aria-describedby={problemId}
          onInput={({ currentTarget }) => {
            setFilter(currentTarget.value);
          }}
        />
      </label>
      <p id={problemId} class="items-problem" role="status">
        {problem}
      </p>
      {/* Without a button, Enter sends no form of several fields. */}
      <button type="submit" hidden />
    </form>
  );
}
