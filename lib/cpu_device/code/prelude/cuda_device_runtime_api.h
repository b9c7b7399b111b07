// Of what this header of the toolkit declares the CPU device has nothing.
#pragma once
