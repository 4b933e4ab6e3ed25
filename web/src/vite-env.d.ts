/// <reference types="vite/client" />
declare module "@fontsource-variable/fraunces/opsz.css";
