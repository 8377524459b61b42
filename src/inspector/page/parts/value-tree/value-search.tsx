import { useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { useRead } from "../../server/use-read.js";
import { Failure } from "../failure.js";
import { formatCount } from "../number-texts.js";
import { briefText } from "./path-text.js";

interface ValueSearchProps {
  readonly place: ValuePlace;
  readonly onOpen: (path: ValuePath) => void;
}

/** Searches the labels and texts of a value, and opens what was found. */
export function ValueSearch({ place, onOpen }: ValueSearchProps) {
  const [typed, setTyped] = useState("");
  // A search reads the whole value, so that it waits for the button or Enter.
  const [search, setSearch] = useState("");
  return (
    <div class="value-search">
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          setSearch(typed);
        }}
      >
        <label>
          Search this value{" "}
          <input
            type="search"
            autocomplete="off"
            spellcheck={false}
            value={typed}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value);
            }}
          />
        </label>
        <button type="submit">Search</button>
      </form>
      {search !== "" && <Matches place={place} search={search} onOpen={onOpen} />}
    </div>
  );
}

function Matches({ place, search, onOpen }: ValueSearchProps & { readonly search: string }) {
  const { data, error } = useRead("searchValue", { place, search });
  if (error !== null) return <Failure error={error} />;
  return (
    <>
      <p class="dim" role="status">
        {data === undefined
          ? "Searching…"
          : `${data.hasMore ? "The first matches" : "Matches"}: ${formatCount(data.matches.length)}`}
      </p>
      <ul class="value-matches">
        {data?.matches.map(({ path, label, value }) => (
          <li key={path.join(".")}>
            <button
              type="button"
              class="value-match"
              onClick={() => {
                onOpen(path);
              }}
            >
              <bdi class="value-label">{label}</bdi> <bdi class="value-text">{briefText(value)}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
