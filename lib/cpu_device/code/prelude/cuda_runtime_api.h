// What this header of the toolkit declares for device code is in the prelude.
#pragma once
