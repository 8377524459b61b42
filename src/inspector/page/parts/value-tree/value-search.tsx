import { useState } from "preact/hooks";
import type { ValuePlace } from "../../../api/places.js";
import type { ValuePath } from "../../../api/value-node.js";
import { useRead } from "../../server/use-read.js";
import { Failure } from "../read-state.js";
import { formatCount } from "../number-texts.js";
import { briefText } from "./value-texts.js";
import { sent, typed } from "../typed-text.js";

interface ValueSearchProps {
  readonly place: ValuePlace;
  readonly onOpen: (path: ValuePath) => void;
}

/** Searches the labels and texts of a value, and opens what was found. */
export function ValueSearch({ place, onOpen }: ValueSearchProps) {
  const [text, setText] = useState("");
  // A search reads the whole value, so that it waits for the button or Enter.
  const [search, setSearch] = useState("");
  return (
    <div class="value-search">
      <form
        role="search"
        onSubmit={sent(() => {
          setSearch(text);
        })}
      >
        <label>
          Search this value{" "}
          <input type="search" autocomplete="off" spellcheck={false} value={text} onInput={typed(setText)} />
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
