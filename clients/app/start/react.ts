// Evaluates React from the top of the file that it is in. It makes errors then, for whose positions V8 reads the files
// of all callers again while developer tools are open: called from the file of the app, that would be all of the app.
import 'react-dom/client';
