import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { checkSession } from "../server/call-server.js";
import { Failure } from "./read-state.js";

interface DownloadLinkProps {
  readonly address: string;
  readonly children: ComponentChildren;
}

/** A link that saves a file. The session is checked first, since a browser would save the page for signing in as the file. */
export function DownloadLink({ address, children }: DownloadLinkProps) {
  const [error, setError] = useState<unknown>();
  const isChecked = useRef(false);
  const download = async (link: HTMLAnchorElement): Promise<void> => {
    try {
      await checkSession();
      setError(undefined);
      isChecked.current = true;
      link.click();
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <>
      <a
        href={address}
        download
        onClick={(event) => {
          if (!isChecked.current) {
            event.preventDefault();
            void download(event.currentTarget);
          }
          isChecked.current = false;
        }}
      >
        {children}
      </a>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}
