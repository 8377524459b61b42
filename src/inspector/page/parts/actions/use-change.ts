import { useMutation, type UseMutationResult, useQueryClient } from "@tanstack/preact-query";
import type { WriteCalls, WriteName } from "../../../api/inspector-api.js";
import { write } from "../../server/call-server.js";

type Args<Name extends WriteName> = WriteCalls[Name]["args"];
type Result<Name extends WriteName> = WriteCalls[Name]["result"];

/** Changes something on the server. Everything that is shown is read again afterwards. */
export function useChange<Name extends WriteName>(
  name: Name,
  onDone?: (result: Result<Name>, args: Args<Name>) => void,
): UseMutationResult<Result<Name>, Error, Args<Name>> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (args: Args<Name>) => write(name, args),
    onSuccess: (result, args) => {
      onDone?.(result, args);
      void client.invalidateQueries();
    },
  });
}
