import { lastWriteBefore, type WriteHistory, writtenBelow } from "./write-history.ts";

/**
 * A directory stands while a file is below it, so whether one stood before a decision may hang on decisions that wrote nothing
 * that was read. Answers those that must be taken too, beside `taken`, for the directory to stand, or not to stand, before
 * `decision` as it did when all had run: the first that made a file still there then, or all that removed what would be left.
 * None when nothing is amiss.
 */
export async function standingWitness(
  history: WriteHistory,
  directory: { readonly path: string; readonly decision: number },
  taken: ReadonlySet<number>,
): Promise<readonly number[]> {
  const node = history.at(directory.path);
  if (node === undefined || node.below.size === 0) return [];
  if (await history.alwaysStands(directory.path)) return [];
  const makers: number[] = [];
  const removers: number[] = [];
  let stood = false;
  let stands = false;
  for (const written of writtenBelow(node)) {
    const last = lastWriteBefore(written, directory.decision, () => true);
    const lastTaken = lastWriteBefore(written, directory.decision, (write) => taken.has(write.decision));
    const wasThere = last?.present ?? written.inBase;
    const isThere = lastTaken?.present ?? written.inBase;
    stood ||= wasThere;
    stands ||= isThere;
    if (stood && stands) return [];
    if (last !== undefined && wasThere !== isThere) (wasThere ? makers : removers).push(last.decision);
  }
  if (stood === stands) return [];
  return stood ? [makers.reduce((first, maker) => Math.min(first, maker))] : [...new Set(removers)];
}
