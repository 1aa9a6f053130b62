import { runEngine } from './engine';
import { exitWithError } from './exit-with-error';

try {
  runEngine(__dirname);
} catch (error) {
  exitWithError(error);
}
