import { useEffect, useState } from "preact/hooks";
import { listen } from "./effects.js";

/** Whether a media query matches now, such as `(max-width: 48rem)`. */
export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const follow = (): void => {
      setMatches(list.matches);
    };
    follow();
    return listen(list, ["change"], follow);
  }, [query]);
  return matches;
}
