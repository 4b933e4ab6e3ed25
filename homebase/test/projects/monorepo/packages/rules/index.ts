export const mayRead = (role: string): boolean => role === "editor" || role === "reader";
