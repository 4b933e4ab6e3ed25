/** Owns what a drop holds: files, and those of whole folders by their paths. */

/** A file, with its path below the folder that it goes to. */
export interface PathFile {
  path: string;
  file: File;
}

/** What is dropped: files, and the paths of empty folders, for which Storage has no place. */
export interface Dropped {
  files: PathFile[];
  emptyFolders: string[];
}

/** Must be called while the event lasts, as its entries end with it. */
export async function droppedFiles(transfer: DataTransfer): Promise<Dropped> {
  const dropped: Dropped = { files: [], emptyFolders: [] };
  const items = [...transfer.items].map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  for (const item of items) {
    if (item instanceof File) dropped.files.push({ path: item.name, file: item });
    else if (item) await read(item, dropped);
  }
  return dropped;
}

async function read(entry: FileSystemEntry, dropped: Dropped): Promise<void> {
  const path = entry.fullPath.slice(1);
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) =>
      (entry as FileSystemFileEntry).file(resolve, reject),
    );
    dropped.files.push({ path, file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const next = () => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
  let count = 0;
  // Each call gives the next hundred or so.
  for (let part = await next(); part.length > 0; part = await next()) {
    count += part.length;
    for (const one of part) await read(one, dropped);
  }
  if (count === 0) dropped.emptyFolders.push(path);
}
