/** esbuild gathers imported style sheets into one file beside the script. */
declare module '*.css';
